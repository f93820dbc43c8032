import type { PageReader } from './page-reader.ts'

/** A row of a table as stored in the file: its rowid and its columns. */
export interface Cell {
  readonly rowId: number
  readonly columns: readonly CellValue[]
}

export type CellValue = number | string | Buffer | null

/** The first byte of a page with rows of a table (https://www.sqlite.org/fileformat2.html#b_tree_pages). */
const TABLE_LEAF = 0x0d
const LEAF_HEADER_BYTES = 8

/** Reads the rows in a page of any table. It skips damaged rows and returns none for other kinds of pages. */
export const readCells = (pages: PageReader, page: number): Cell[] => {
  const bytes = pages.read(page)
  // The first page begins with the file header.
  const header = page === 1 ? 100 : 0
  if (bytes === null || bytes[header] !== TABLE_LEAF) return []
  const count = Math.min(bytes.readUInt16BE(header + 3), (bytes.length - header - LEAF_HEADER_BYTES) >> 1)
  const cells: Cell[] = []
  for (let index = 0; index < count; index++) {
    try {
      cells.push(readCell(pages, bytes, bytes.readUInt16BE(header + LEAF_HEADER_BYTES + 2 * index)))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }
  return cells
}

const readCell = (pages: PageReader, bytes: Buffer, offset: number): Cell => {
  const [payloadBytes, afterSize] = readVarint(bytes, offset)
  const [rowId, afterId] = readVarint(bytes, afterSize)
  return { rowId, columns: readRecord(readPayload(pages, bytes, afterId, payloadBytes)) }
}

/** Reads the bytes of a row. Long rows continue on overflow pages (https://www.sqlite.org/fileformat2.html#ovflpgs). */
const readPayload = (pages: PageReader, bytes: Buffer, offset: number, size: number): Buffer => {
  const { pageBytes } = pages
  if (size > pages.pageCount * pageBytes) throw new RangeError('A row is larger than the file.')
  const maxLocalBytes = pageBytes - 35
  const minLocalBytes = Math.floor(((pageBytes - 12) * 32) / 255) - 23
  const remainder = minLocalBytes + ((size - minLocalBytes) % (pageBytes - 4))
  const localBytes = size <= maxLocalBytes ? size : remainder <= maxLocalBytes ? remainder : minLocalBytes
  if (offset + localBytes > bytes.length) throw new RangeError('A row extends beyond its page.')
  const chunks = [bytes.subarray(offset, offset + localBytes)]
  let missingBytes = size - localBytes
  let nextPage = missingBytes > 0 ? bytes.readUInt32BE(offset + localBytes) : 0
  while (missingBytes > 0) {
    const page = pages.read(nextPage)
    if (page === null) throw new RangeError('The overflow page of a row does not exist.')
    const chunk = page.subarray(4, 4 + Math.min(missingBytes, pageBytes - 4))
    chunks.push(chunk)
    missingBytes -= chunk.length
    nextPage = page.readUInt32BE(0)
  }
  if (nextPage !== 0) throw new RangeError('A row has more overflow pages than its size needs.')
  return Buffer.concat(chunks)
}

/** Reads the columns of a row (https://www.sqlite.org/fileformat2.html#record_format). */
const readRecord = (payload: Buffer): CellValue[] => {
  const [headerBytes, first] = readVarint(payload, 0)
  const columns: CellValue[] = []
  let at = headerBytes
  for (let typeAt = first; typeAt < headerBytes;) {
    const [type, after] = readVarint(payload, typeAt)
    typeAt = after
    const size = sizeOfType(type)
    if (at + size > payload.length) throw new RangeError('A column extends beyond its row.')
    columns.push(readValue(type, payload.subarray(at, at + size)))
    at += size
  }
  if (at !== payload.length) throw new RangeError('A row is longer than its columns.')
  return columns
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8]

const sizeOfType = (type: number): number => {
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
  if (type < 12) throw new RangeError('A column has a reserved type.')
  return type % 2 === 0 ? bytes : bytes.toString('utf8')
}

/** Reads an integer of up to nine bytes, with seven bits in each except the last, and the offset after it. */
const readVarint = (bytes: Buffer, from: number): readonly [value: number, next: number] => {
  let value = 0
  for (let at = from; at < from + 8; at++) {
    const byte = bytes.readUInt8(at)
    value = value * 128 + (byte & 0x7f)
    if (value > Number.MAX_SAFE_INTEGER) break
    if (byte < 0x80) return [value, at + 1]
  }
  throw new RangeError('An integer is larger than any in a valid file.')
}
