//! What is known of the files of a folder, worked out once for all inputs of a walk: a session asks which of its
//! neighbours belong to it, and a folder may hold thousands that ask.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

type Slot = Arc<OnceLock<Arc<dyn Any + Send + Sync>>>;

/// Findings about folders, each by its type.
#[derive(Default)]
pub(super) struct Shelf(Mutex<HashMap<(TypeId, PathBuf), Slot>>);

impl Shelf {
    /// What is known of a folder; made by the first who asks, the others wait.
    pub fn get<T: Any + Send + Sync>(&self, folder: PathBuf, make: impl FnOnce() -> T) -> Arc<T> {
        let slot = {
            let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            slots.entry((TypeId::of::<T>(), folder)).or_default().clone()
        };
        let found = slot.get_or_init(|| Arc::new(make())).clone();
        found.downcast().expect("the key names the type")
    }
}

impl fmt::Debug for Shelf {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Shelf")
    }
}
