//! Starts, limits and ends workers (host side).
