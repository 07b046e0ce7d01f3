//! The headers of a JPEG: what the coefficients are arranged by.

use super::blocks::Blocks;
use super::huffman::Table;
use crate::problem::Problem;
use crate::robust::MOST_PIXELS;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Bytes that all coefficients may have, those of blocks that only fill up a unit included.
const MOST_BYTES: usize = 512 << 20;

/// One component of the image, with its quantised coefficients.
pub(super) struct Plane {
    pub id: u8,
    pub h: usize,
    pub v: usize,
    /// The number of its quantisation table, and the table as it was at the first scan.
    pub quant_number: u8,
    pub quant: Option<[u16; 64]>,
    /// Blocks that are part of the image.
    pub columns: usize,
    pub rows: usize,
    pub coefficients: Blocks,
    /// For each block of a progressive image a bit for each coefficient that is not 0, so that blocks of nothing but
    /// zeros need not be looked through in every scan.
    pub filled: Vec<u64>,
    /// For each coefficient the bits that are still to come; 255 before its first scan.
    pub pending: [u8; 64],
}

impl Plane {
    /// The number of the block in this column and row; nothing for one that only fills up a unit.
    pub fn number(&self, column: usize, row: usize) -> Option<usize> {
        let is_shown = column < self.columns && row < self.rows;
        is_shown.then(|| row.wrapping_mul(self.columns).wrapping_add(column))
    }
}

/// What a frame header says.
pub(super) struct Frame {
    pub width: u16,
    pub height: u16,
    pub progressive: bool,
    pub planes: Vec<Plane>,
    /// Units of several components, across and down.
    pub units: (usize, usize),
}

impl Frame {
    /// Whether the tables are still those that its components had at their first scans.
    pub fn keeps(&self, tables: &Tables) -> bool {
        self.planes.iter().all(|plane| {
            let now = tables.quant.get(usize::from(plane.quant_number)).copied().flatten();
            plane.quant.is_none() || plane.quant == now
        })
    }

    /// Reads `SOF0`, `SOF1` or `SOF2`; `file` is the length of the file, beyond which nothing is reserved.
    pub fn read(marker: u8, data: &[u8], file: usize) -> Result<Self, Problem> {
        let broken = Problem::PixelsBroken;
        let (head, components) = data.split_first_chunk::<6>().ok_or(broken)?;
        let [precision, h1, h0, w1, w0, count] = *head;
        let (height, width) = (u16::from_be_bytes([h1, h0]), u16::from_be_bytes([w1, w0]));
        if precision != 8 {
            return Err(Problem::JpegKind);
        }
        let count = usize::from(count);
        let expected = count.saturating_mul(3);
        if width == 0 || height == 0 || !(1..=4).contains(&count) || components.len() != expected {
            return Err(broken);
        }
        let sampling = |c: &[u8; 3]| (usize::from(c[1] >> 4), usize::from(c[1] & 15));
        let (components, _) = components.as_chunks::<3>();
        let sizes = || components.iter().map(sampling);
        if sizes().any(|(h, v)| !(1..=4).contains(&h) || !(1..=4).contains(&v)) {
            return Err(broken);
        }
        let most = sizes().fold((1, 1), |most, size| (most.0.max(size.0), most.1.max(size.1)));
        let units = |length: u16, most: usize| usize::from(length).div_ceil(most.saturating_mul(8));
        let units = (units(width, most.0), units(height, most.1));
        let blocks = |length: u16, own: usize, most: usize| {
            usize::from(length).saturating_mul(own).div_ceil(most).div_ceil(8)
        };
        let progressive = marker == 0xC2;
        let mut planes = Vec::new();
        let mut declared = 0_usize;
        for component in components {
            let (h, v) = sampling(component);
            let (columns, rows) = (blocks(width, h, most.0), blocks(height, v, most.1));
            let all = units.0.saturating_mul(h).saturating_mul(units.1).saturating_mul(v);
            declared = declared.saturating_add(all.saturating_mul(128));
            // Each block takes at least one bit of the file.
            if columns.saturating_mul(rows) / 8 > file {
                return Err(broken);
            }
            if declared > MOST_BYTES || usize::from(width).saturating_mul(usize::from(height)) > MOST_PIXELS {
                return Err(Problem::TooManyPixels);
            }
            planes.push(Plane {
                id: component[0],
                h,
                v,
                quant_number: component[2],
                quant: None,
                columns,
                rows,
                coefficients: Blocks::default(),
                filled: Vec::new(),
                pending: [255; 64],
            });
        }
        for plane in &mut planes {
            let all = plane.columns.saturating_mul(plane.rows);
            plane.coefficients = Blocks::new(all);
            plane.filled = alloc::vec![0; if progressive { all } else { 0 }];
        }
        Ok(Self { width, height, progressive, planes, units })
    }
}

/// Tables that segments define and later ones replace.
#[derive(Default)]
pub(super) struct Tables {
    pub dc: [Option<Box<Table>>; 4],
    pub ac: [Option<Box<Table>>; 4],
    pub quant: [Option<[u16; 64]>; 4],
    /// After so many units the coder begins anew, if not 0 (ITU-T T.81, B.2.4.4).
    pub restart: u16,
}

impl Tables {
    pub fn huffman(&mut self, mut data: &[u8]) -> Option<()> {
        while let Some((head, rest)) = data.split_first_chunk::<17>() {
            let (kind, counts) = head.split_first_chunk::<1>()?;
            let counts: &[u8; 16] = counts.first_chunk()?;
            let total = counts.iter().map(|count| usize::from(*count)).sum();
            let (values, rest) = rest.split_at_checked(total)?;
            let class = match kind[0] >> 4 {
                0 => &mut self.dc,
                1 => &mut self.ac,
                _ => return None,
            };
            *class.get_mut(usize::from(kind[0] & 15))? = Some(Box::new(Table::new(counts, values)?));
            data = rest;
        }
        data.is_empty().then_some(())
    }

    pub fn quantisation(&mut self, mut data: &[u8]) -> Option<()> {
        while let Some((kind, rest)) = data.split_first() {
            let (width, size) = match kind >> 4 {
                0 => (1, 64),
                1 => (2, 128),
                _ => return None,
            };
            let (values, rest) = rest.split_at_checked(size)?;
            let mut table = [0; 64];
            for (value, bytes) in table.iter_mut().zip(values.chunks(width)) {
                *value = bytes.iter().fold(0, |value, byte| value << 8 | u16::from(*byte));
            }
            *self.quant.get_mut(usize::from(kind & 15))? = Some(table);
            data = rest;
        }
        Some(())
    }
}
