//! The game master as a server.
