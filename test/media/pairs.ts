/** What is put into bare pictures, put into those that carry something else: before it, after it, and exchanged with it. */
import { chunk } from '../corpus/parts.mjs'
import { type Mark, marks } from './marks.ts'
import { type Base, sources } from './pictures.ts'
import { exif, iccp, insert, latin, segment, swapped, tiff, u32 } from './pieces.ts'
import { type Rewrite, without } from './rewrites.ts'

/** What a picture carries besides: what turns it, what says its colours, what says its shape. */
const partners: Record<'jpg' | 'png', Record<string, Buffer>> = {
  jpg: {
    Exif: exif(6),
    'ICC profile': segment(0xe2, Buffer.concat([latin('ICC_PROFILE\0\x01\x01'), swapped])),
    'comment `MULTISCOPE II`': segment(0xfe, latin('MULTISCOPE II')),
  },
  png: {
    '`eXIf`': chunk('eXIf', tiff(6)),
    '`iCCP`': chunk('iCCP', iccp(swapped)),
    '`pHYs` of 1:4': chunk('pHYs', u32(1), u32(4), Buffer.from([0])),
  },
}

/** Where a partner stands: after `IHDR`, or after JFIF if it is the first segment. */
function head(file: Buffer): number {
  if (file[0] === 0x89) return file.indexOf('IHDR') + 21
  return file[3] === 0xe0 ? 4 + file.readUInt16BE(4) : 2
}

const carrying = (file: Buffer, partner: Buffer): Buffer => insert(file, head(file), partner)

/** One mark and one partner. */
interface Pair {
  readonly mark: string
  readonly before: Rewrite
  readonly after: Rewrite
  /** Both are signed, and change their places. */
  readonly exchanged: Rewrite
}

/** Marks that cannot be signed together with a partner: they are not read, or there is no room for one more kind. */
export const unsigned = [
  'Adobe of 11 bytes',
  'Adobe with transform 0 before `EOI`',
  'Adobe with transform 0 in `APP13`',
  '`APP2` `MPF` and a second picture',
  '`CgBI`',
  '`DNL`',
  '`JPG0`',
  '`TEM`',
  '`acTL`, `fcTL` and `fdAT`',
  '`tRNS` of the colour of a pixel',
  'a restart marker',
  'a second `SOI`',
]

/** Pairs that are accepted although these readers show another picture. */
export const exceptions: Readonly<Record<string, readonly string[]>> = {
  // With alpha, MuPDF rounds otherwise when it converts colours: samples differ by 1.
  '`tRNS` of a colour that no pixel has before `iCCP`': ['MuPDF'],
  '`tRNS` of a colour that no pixel has after `iCCP`': ['MuPDF'],
}

function pairsOf(format: 'jpg' | 'png', [mark, base, change]: Mark, carriers: Record<string, Buffer>): Pair[] {
  return Object.entries(partners[format]).map(([other, partner]) => {
    const source = carriers[`${base} ${other}`] as Buffer
    const exchange = (signed: Buffer): Buffer => carrying(without(signed, partner), partner)
    const after = (signed: Buffer): Buffer => carrying(change(without(signed, partner)), partner)
    return {
      mark,
      before: { name: `${mark} before ${other}`, source, change },
      after: { name: `${mark} after ${other}`, source, change: after },
      exchanged: { name: `${other} moved before ${mark}`, source: change(source), change: exchange },
    }
  })
}

function all(format: 'jpg' | 'png', bases: readonly Base[]): Pair[] {
  const carriers = Object.fromEntries(
    bases.flatMap((base) =>
      Object.entries(partners[format]).map(([other, partner]) => [
        `${base} ${other}`,
        carrying(sources[base], partner),
      ]),
    ),
  )
  return marks[format].filter(([, base]) => bases.includes(base)).flatMap((mark) => pairsOf(format, mark, carriers))
}

/** All of them, by format. */
export const pairs: Readonly<Record<'jpg' | 'png', readonly Pair[]>> = {
  jpg: all('jpg', ['jpg']),
  png: all('png', ['png', 'alpha.png']),
}
