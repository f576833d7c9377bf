"""A button that copies the address of the page, which leads back to what the page shows."""

import streamlit as st

_CSS = """
button { width: 100%; min-height: 2.5rem; padding: .25rem .75rem; font: inherit; font-size: .9375em; cursor: pointer;
  color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius); }
button:hover, button:focus-visible { color: var(--st-primary-color); border-color: var(--st-primary-color); }
"""

_JS = """
export default function ({ parentElement, data }) {
  const button = parentElement.querySelector("button");
  button.onclick = async () => {
    let done = true;
    try { await navigator.clipboard.writeText(location.href); }
    catch {
      // without HTTPS browsers have no clipboard for scripts, except by a selection
      const field = document.body.appendChild(document.createElement("textarea"));
      field.value = location.href; field.select();
      done = document.execCommand("copy"); field.remove();
    }
    button.textContent = done ? data.done : data.failed;
    setTimeout(() => { button.textContent = data.label; }, 2000);
  };
}
"""

_LABEL = "Copy link"

_mount = st.components.v2.component(
    "espalier_copy_link", html=f'<button type="button" aria-live="polite">{_LABEL}</button>', css=_CSS, js=_JS
)


def show(width: int) -> None:
    """Draw the button; `width` in pixels."""
    words = {"label": _LABEL, "done": "Link copied", "failed": "Copy the address above"}
    _mount(key="copy_link", data=words, width=width)
