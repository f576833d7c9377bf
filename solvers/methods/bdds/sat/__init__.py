"""Binary decision diagrams by SAT and MaxSAT (Hu, Huguet and Siala 2022)."""
