//! Numbers, durations and counts to finished strings.
