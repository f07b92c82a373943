//! Frames as a hostile worker sends them: decoding never panics, and what it
//! accepts means the same when it is written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegate_wire::{FromGuest, HEADER_BYTES, ToGuest, body_length};

fuzz_target!(|data: &[u8]| {
    if let Some(header) = data.first_chunk::<HEADER_BYTES>() {
        let _ = body_length(*header);
    }
    if let Ok(message) = FromGuest::decode(data) {
        let again = message.encode().expect("what was decoded can be encoded");
        assert_eq!(FromGuest::decode(&again[HEADER_BYTES..]), Ok(message));
    }
    if let Ok(message) = ToGuest::decode(data) {
        let again = message.encode().expect("what was decoded can be encoded");
        assert_eq!(ToGuest::decode(&again[HEADER_BYTES..]), Ok(message));
    }
});
