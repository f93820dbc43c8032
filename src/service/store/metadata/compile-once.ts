import type { Compilable, CompiledQuery } from 'kysely'
import type { Metadata } from './open.ts'

/**
 * Compiles a query once for each database, or transaction, and size: to build and compile it costs more than to run it. The result has the
 * parameters of `build`; run it with `executeWith`.
 *
 * @param size Number of rows or ids, for whose parameters `build` uses placeholders.
 */
export const compileOnce = <Row>(
  build: (metadata: Metadata, size: number) => Compilable<Row>,
): ((metadata: Metadata, size: number) => CompiledQuery<Row>) => {
  const queriesByMetadata = new WeakMap<Metadata, Map<number, CompiledQuery<Row>>>()
  return (metadata, size) => {
    const queries = queriesByMetadata.get(metadata) ?? new Map<number, CompiledQuery<Row>>()
    queriesByMetadata.set(metadata, queries)
    const query = queries.get(size) ?? build(metadata, size).compile()
    queries.set(size, query)
    return query
  }
}

/** Runs a compiled query with other parameters. */
export const executeWith = async <Row>(
  metadata: Metadata,
  query: CompiledQuery<Row>,
  parameters: readonly unknown[],
): Promise<Row[]> => (await metadata.executeQuery<Row>({ ...query, parameters })).rows

/** Repeats the last id until the number of ids is a power of two, so that a list of any length needs one of few statements. */
export const padIds = (ids: readonly string[]): string[] => {
  const size = 2 ** Math.ceil(Math.log2(ids.length))
  return [...ids, ...Array<string>(size - ids.length).fill(ids.at(-1)!)]
}
