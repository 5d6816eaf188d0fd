//! Engines: which versions the tests compare with, in what, and how often.
