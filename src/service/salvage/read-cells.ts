import type { Pages } from './read-pages.ts'

/** A row of a table as it stands in the file: its number and its columns. */
export interface Cell {
  readonly rowId: number
  readonly columns: readonly CellValue[]
}

export type CellValue = number | string | Buffer | null

/** The first byte of a page that holds rows of a table (https://www.sqlite.org/fileformat2.html#b_tree_pages). */
const TABLE_LEAF = 0x0d
const LEAF_HEAD_BYTES = 8

/** The rows in one page of any table that can be made out; none in a page of another kind. Damaged ones are passed over. */
export const cellsIn = (pages: Pages, page: number): Cell[] => {
  const bytes = pages.read(page)
  // The first page begins with the head of the file.
  const head = page === 1 ? 100 : 0
  if (bytes === null || bytes[head] !== TABLE_LEAF) return []
  const count = Math.min(bytes.readUInt16BE(head + 3), (bytes.length - head - LEAF_HEAD_BYTES) >> 1)
  const cells: Cell[] = []
  for (let index = 0; index < count; index++) {
    try {
      cells.push(readCell(pages, bytes, bytes.readUInt16BE(head + LEAF_HEAD_BYTES + 2 * index)))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }
  return cells
}

const readCell = (pages: Pages, bytes: Buffer, at: number): Cell => {
  const [payloadBytes, afterSize] = readVarint(bytes, at)
  const [rowId, afterId] = readVarint(bytes, afterSize)
  return { rowId, columns: readRecord(readPayload(pages, bytes, afterId, payloadBytes)) }
}

/** The bytes of a row, of which only the beginning may lie in its page. */
const readPayload = (pages: Pages, bytes: Buffer, at: number, size: number): Buffer => {
  const { pageBytes } = pages
  if (size > pages.count * pageBytes) throw new RangeError('A row is larger than the file.')
  const most = pageBytes - 35
  const least = Math.floor(((pageBytes - 12) * 32) / 255) - 23
  const fitting = least + ((size - least) % (pageBytes - 4))
  const local = size <= most ? size : fitting <= most ? fitting : least
  if (at + local > bytes.length) throw new RangeError('A row goes beyond its page.')
  const parts = [bytes.subarray(at, at + local)]
  let missing = size - local
  let next = missing > 0 ? bytes.readUInt32BE(at + local) : 0
  while (missing > 0) {
    const page = pages.read(next)
    if (page === null) throw new RangeError('A row goes on in a page that is not there.')
    const part = page.subarray(4, 4 + Math.min(missing, pageBytes - 4))
    parts.push(part)
    missing -= part.length
    next = page.readUInt32BE(0)
  }
  if (next !== 0) throw new RangeError('A row goes on behind its end.')
  return Buffer.concat(parts)
}

/** A row's columns (https://www.sqlite.org/fileformat2.html#record_format). */
const readRecord = (payload: Buffer): CellValue[] => {
  const [headBytes, first] = readVarint(payload, 0)
  const columns: CellValue[] = []
  let at = headBytes
  for (let typeAt = first; typeAt < headBytes;) {
    const [type, after] = readVarint(payload, typeAt)
    typeAt = after
    const size = sizeOf(type)
    if (at + size > payload.length) throw new RangeError('A column goes beyond its row.')
    columns.push(readValue(type, payload.subarray(at, at + size)))
    at += size
  }
  if (at !== payload.length) throw new RangeError('A row is longer than its columns.')
  return columns
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8]

const sizeOf = (type: number): number => {
  if (type >= 12) return (type - (type % 2 === 0 ? 12 : 13)) / 2
  if (type === 7) return 8
  return INTEGER_BYTES[type] ?? 0
}

const readValue = (type: number, bytes: Buffer): CellValue => {
  if (type === 0) return null
  if (type === 8 || type === 9) return type - 8
  if (type === 7) return bytes.readDoubleBE(0)
  if (type === 6) return Number(bytes.readBigInt64BE(0))
  if (type <= 5) return bytes.readIntBE(0, bytes.length)
  if (type < 12) throw new RangeError('A column has no type.')
  return type % 2 === 0 ? bytes : bytes.toString('utf8')
}

/** A number of up to nine bytes, seven bits in each but the last, and the place behind it. */
const readVarint = (bytes: Buffer, from: number): readonly [value: number, next: number] => {
  let value = 0
  for (let at = from; at < from + 8; at++) {
    const byte = bytes.readUInt8(at)
    value = value * 128 + (byte & 0x7f)
    if (value > Number.MAX_SAFE_INTEGER) break
    if (byte < 0x80) return [value, at + 1]
  }
  throw new RangeError('A number is larger than any that is written.')
}
