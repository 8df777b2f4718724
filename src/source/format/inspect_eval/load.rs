//! From a document or an archive to samples, whole or in pieces.

use std::collections::BTreeMap;

use super::sample::{Attachments, Header, Sample, tell};
use crate::{
    base::{diag::DiagCode, error::Error, locate::Locator},
    source::{
        Parsed,
        archive::{Archive, Left},
        document::Source,
        open::Input,
    },
};

/// Lists of a sample.
const LISTS: &[&str] = &["messages", "events"];

/// Reads a log.
pub fn read(format: &'static str, input: &Input) -> Result<Parsed, Error> {
    match input.archive()? {
        Some(archive) => Ok(Log { format, archive: &archive, parsed: Parsed::default() }.read()),
        None => Ok(document(format, &input.bytes()?)),
    }
}

fn document(format: &'static str, bytes: &[u8]) -> Parsed {
    let source = Source::of(bytes);
    let document = source.cut(&["samples"]);
    let mut parsed = Parsed::default();
    source.report(&document, &mut parsed.diagnostics, &mut parsed.unassigned);
    let header = Header::of(document.field("eval"));
    for item in document.list("samples") {
        let source = Source::of(item.raw.as_bytes());
        let document = source.cut(LISTS);
        let mut sample = Sample { from: item.place.bytes.start, ..Sample::default() };
        sample.add(&document);
        parsed.add(tell(format, &header, sample));
    }
    parsed
}

/// An archive that is being read.
struct Log<'a> {
    format: &'static str,
    archive: &'a Archive,
    parsed: Parsed,
}

impl Log<'_> {
    fn read(mut self) -> Parsed {
        let names = self.archive.names();
        let start = ["header.json", "_journal/start.json"];
        let start = start.iter().find_map(|name| self.member(self.archive.find(name)?));
        let header = start.map_or_else(Header::default, |bytes| {
            let source = Source::of(&bytes);
            Header::of(source.cut(&[]).field("eval"))
        });
        // Members of a sample in pieces lie in a folder of its own.
        let mut pieces: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, name) in names.iter().enumerate() {
            let Some(rest) = name.strip_prefix("samples/") else { continue };
            match rest.split_once('/') {
                Some((sample, _)) => pieces.entry(sample).or_default().push(at),
                None => self.whole(&header, at),
            }
        }
        for (name, members) in pieces {
            self.in_pieces(&header, name, members);
        }
        if let Some(left) = self.archive.left(Left::is_loss) {
            let told = format!("not read: {left}");
            self.parsed.diagnostics.add(DiagCode::RecordDamaged, Locator::default(), told);
        }
        self.parsed
    }

    /// The bytes of a member; one that cannot be read costs itself only.
    fn member(&mut self, at: usize) -> Option<Vec<u8>> {
        match self.archive.read(at) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                let told = format!("{}: {error}", self.archive.names()[at]);
                self.parsed.diagnostics.add(DiagCode::RecordDamaged, Locator::default(), told);
                self.parsed.unassigned.damaged();
                None
            }
        }
    }

    fn whole(&mut self, header: &Header, at: usize) {
        let Some(bytes) = self.member(at) else { return };
        let source = Source::of(&bytes);
        let document = source.cut(LISTS);
        source.report(&document, &mut self.parsed.diagnostics, &mut self.parsed.unassigned);
        let mut sample = Sample { name: stem(&self.archive.names()[at]), ..Sample::default() };
        sample.add(&document);
        self.parsed.sessions.push(tell(self.format, header, sample));
    }

    /// A sample of which messages, events and attachments lie in members named by the number of their first.
    fn in_pieces(&mut self, header: &Header, name: &str, mut members: Vec<usize>) {
        let names = self.archive.names();
        members.sort_by_key(|at| {
            let (folder, file) = names[*at].rsplit_once('/').unwrap_or_default();
            (folder, file.trim_end_matches(".json").parse::<u64>().unwrap_or(0))
        });
        let bytes: Vec<(usize, Vec<u8>)> = members.iter().filter_map(|at| Some((*at, self.member(*at)?))).collect();
        let sources: Vec<(usize, Source)> = bytes.iter().map(|(at, bytes)| (*at, Source::of(bytes))).collect();
        let documents: Vec<_> = sources.iter().map(|(at, source)| (*at, source.cut(LISTS))).collect();
        let mut sample = Sample { name: name.to_string(), ..Sample::default() };
        for (at, document) in &documents {
            let path = names[*at].as_str();
            let within = path.strip_prefix("samples/").and_then(|rest| rest.split_once('/')).map_or("", |(_, p)| p);
            match within.split_once('/') {
                Some(("messages", _)) => sample.messages.extend(document.list("")),
                Some(("events", _)) => sample.events.extend(document.list("")),
                Some(("attachments", first)) => {
                    let first = first.trim_end_matches(".json").parse().unwrap_or(0);
                    sample.attachments.add(document, first);
                }
                Some(_) => {}
                None => sample.add(document),
            }
        }
        let session = tell(self.format, header, sample);
        self.parsed.sessions.push(session);
    }
}

/// The name of a sample's member without folder and ending.
fn stem(name: &str) -> String {
    name.trim_start_matches("samples/").trim_end_matches(".json").to_string()
}

impl Attachments {
    /// Attachments of a member: by hash, or in a list from the number `first` on.
    fn add(&mut self, document: &crate::source::document::Document, first: usize) {
        for (key, raw) in &document.fields {
            self.insert(key, raw);
        }
        for (i, item) in document.list("").iter().enumerate() {
            self.insert(&(first + i).to_string(), item.raw);
        }
    }
}
