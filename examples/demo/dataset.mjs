/** The description of a data set with a checksum for each of its files: 1 MB of JSON, the same in every run. */
import { createHash } from 'node:crypto'

const STATIONS = 64
const MONTHS = 72
const FIRST_YEAR = 2019
const COLUMNS = [
  { name: 'time', type: 'date-time', unit: 'UTC' },
  { name: 'pm25', type: 'number', unit: 'µg/m³', range: [0, 1000] },
  { name: 'no2', type: 'number', unit: 'µg/m³', range: [0, 800] },
  { name: 'o3', type: 'number', unit: 'µg/m³', range: [0, 600] },
  { name: 'temperature', type: 'number', unit: '°C', range: [-40, 50] },
  { name: 'quality', type: 'integer', description: '0 good, 1 doubtful, 2 interpolated, 9 missing' },
]

/** Numbers that look like measurements: from a hash of what they belong to. */
function digest(...of) {
  return createHash('sha256').update(of.join('/')).digest()
}

function file(station, month) {
  const year = FIRST_YEAR + Math.floor(month / 12)
  const period = `${year}-${String((month % 12) + 1).padStart(2, '0')}`
  const path = `hourly/${station}/${period}.csv.gz`
  const hash = digest(path)
  return {
    path,
    period,
    rows: 744 - (hash[0] % 25),
    bytes: 21_000 + (hash.readUInt16BE(1) % 4000),
    missing: (hash[3] % 40) / 10,
    sha256: hash.toString('hex'),
  }
}

/** The description, as an object. */
export function dataset() {
  const stations = Array.from({ length: STATIONS }, (_, at) => {
    const id = `AQ${String(at + 1).padStart(3, '0')}`
    const hash = digest(id)
    return {
      id,
      latitude: Number((35 + (hash.readUInt16BE(0) / 65_536) * 25).toFixed(4)),
      longitude: Number((-10 + (hash.readUInt16BE(2) / 65_536) * 40).toFixed(4)),
      surroundings: ['traffic', 'urban background', 'suburban', 'rural'][hash[4] % 4],
      files: Array.from({ length: MONTHS }, (_, month) => file(id, month)),
    }
  })
  return {
    title: 'Hourly air quality at 64 stations, 2019 to 2024',
    version: '7.2.0',
    license: 'CC-BY-4.0',
    publisher: 'Open Air Network',
    issued: '2025-02-03',
    columns: COLUMNS,
    stations,
  }
}
