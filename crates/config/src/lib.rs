//! Reads configuration files into settings.
