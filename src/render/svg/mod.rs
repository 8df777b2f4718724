//! Pictures to SVG: one file for each kind, over a small canvas. A drawing holds no script, no style sheet, no reference
//! to anything outside and no text that acts; it scales with its place and is the same for the same picture, byte for
//! byte. Both themes have one geometry: only colours differ.

mod axis;
mod canvas;
mod dumbbell;
mod labels;
mod measure;
mod scaling;
mod series;
mod strip;
mod theme;

pub use theme::Theme;

use crate::model::picture::{Drawing, Picture};
use canvas::Canvas;

/// Draws a picture. Ids begin with the picture's slug and the theme, so that several drawings can stand in one page.
pub fn draw(picture: &Picture, theme: Theme) -> String {
    let mut canvas = Canvas::new(theme);
    canvas.heading(&picture.title);
    match &picture.drawing {
        Drawing::Strip(strip) => strip::draw(&mut canvas, strip),
        Drawing::Series(series) => series::draw(&mut canvas, series),
        Drawing::Dumbbell(dumbbells) => dumbbell::draw(&mut canvas, dumbbells),
        Drawing::Scaling(curves) => scaling::draw(&mut canvas, curves),
    }
    canvas.finish(&picture.slug, &picture.title, &picture.description)
}

/// Name of the file that a drawing is kept in: `01-strip-light.svg`.
pub fn file_name(picture: &Picture, theme: Theme) -> String {
    format!("{}-{}.svg", canvas::safe(&picture.slug), theme.word())
}
