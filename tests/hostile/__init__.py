"""Malicious input: no part of it is executed, no part leaves its place, and limits hold."""
