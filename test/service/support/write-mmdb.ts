import { writeFileSync } from 'node:fs'

type Value = string | number | readonly string[] | { readonly [key: string]: Value }

/** Type numbers of the MaxMind DB format. */
const TYPE_NUMBERS = { text: 2, uint32: 6, map: 7, list: 11 }

/** Encodes the type and size before a value. Types above 7 and sizes from 29 need a further byte. */
const encodeControlBytes = (type: number, size: number): Buffer => {
  const isExtended = type > 7
  const sizes = size < 29 ? [size] : [29, size - 29]
  const first = ((isExtended ? 0 : type) << 5) | sizes[0]!
  return Buffer.from([first, ...(isExtended ? [type - 7] : []), ...sizes.slice(1)])
}

const encodeValue = (value: Value): Buffer => {
  if (typeof value === 'string')
    return Buffer.concat([encodeControlBytes(TYPE_NUMBERS.text, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([encodeControlBytes(TYPE_NUMBERS.uint32, 4), bytes])
  }
  if (Array.isArray(value))
    return Buffer.concat([encodeControlBytes(TYPE_NUMBERS.list, value.length), ...value.map(encodeValue)])
  const entries = Object.entries(value)
  return Buffer.concat([
    encodeControlBytes(TYPE_NUMBERS.map, entries.length),
    ...entries.flatMap(([key, item]) => [encodeValue(key), encodeValue(item)]),
  ])
}

/** Writes a MaxMind DB (format 2.0) with one record for every IPv4 address whose first bit is 0. */
export const writeMmdb = (path: string, record: Value): void => {
  const nodeCount = 1
  const tree = Buffer.alloc(6)
  // Record values are offset by the node count plus 16. The node count itself means "not found".
  tree.writeUIntBE(nodeCount + 16, 0, 3)
  tree.writeUIntBE(nodeCount, 3, 3)
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 0,
    database_type: 'Test-City',
    description: { en: 'one record' },
    ip_version: 4,
    languages: ['en'],
    node_count: nodeCount,
    record_size: 24,
  }
  const marker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')])
  writeFileSync(path, Buffer.concat([tree, Buffer.alloc(16), encodeValue(record), marker, encodeValue(metadata)]))
}
