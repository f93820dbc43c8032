import { afterAll, beforeAll, expect, it } from 'vitest'
import { openInstance } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'
import {
  isAllowedFunction,
  isAllowedTableFunction,
  listAllowedFunctions,
} from '../../../../../../src/service/store/events/duckdb/query/allowed-functions.ts'

const names = (list: string): RegExp => new RegExp(`^(${list.trim().split(/\s+/).join('|')})$`)

/** Why functions of DuckDB are refused. A new version of DuckDB may add functions: each is put here or into the allowed ones. */
const REFUSED_FUNCTIONS: Readonly<Record<string, RegExp>> = {
  'reads settings, variables, sequences or what DuckDB knows of itself': names(`
    current_setting getvariable currval nextval version stats get_block_size parse_duckdb_log_message`),
  'reads the catalog, the connection or the user': names(`
    current_catalog current_connection_id current_database current_query current_query_id current_role current_schema
    current_schemas current_transaction_id current_user session_user user txid_current in_search_path col_description
    obj_description shobj_description format_pg_type format_type map_to_pg_oid inet_client_addr inet_client_port
    inet_server_addr inet_server_port has_\\w+_privilege (?!pg_typeof$|pg_size_pretty$)pg_\\w+`),
  'plans or runs SQL in a string': names('json_deserialize_sql json_serialize_plan json_serialize_sql'),
  'writes, waits, or changes the connection': names('write_log setseed sleep_ms'),
  'takes memory that DuckDB does not limit: for the product of two lengths, or for a range of numbers': names(
    'damerau_levenshtein bitstring_agg',
  ),
  'takes kilobytes per group, and cannot be interrupted': names('approx_top_k entropy reservoir_quantile'),
  'DuckDB uses it itself, on values that it made': names(`
    __internal_\\w+ combine finalize create_sort_key remap_struct timetz_byte_comparable vector_type
    variant_bytes_to_variant variant_normalize variant_to_parquet_variant can_cast_implicitly cast_to_type make_type get_type
    replace_type`),
}

const REFUSED_TABLE_FUNCTIONS: Readonly<Record<string, RegExp>> = {
  'reads files or memory': names(`
    arrow_scan arrow_scan_dumb glob parquet_\\w+ read_\\w+ sniff_csv seq_scan`),
  'reads the catalog, settings or state': names(`
    duckdb_\\w+ pragma_\\w+ icu_calendar_names pg_timezone_names which_secret sql_auto_complete histogram histogram_values`),
  'runs SQL in a string, or reads a table named in a string': names(`
    query query_table json_execute_serialized_sql check_peg_parser summary`),
  'changes DuckDB': names(`
    checkpoint force_checkpoint disable_\\w+ enable_\\w+ truncate_duckdb_logs`),
  'is for tests of DuckDB': names('test_all_types test_vector_types'),
  'makes any number of rows of any size': names('repeat repeat_row'),
}

let instance: Awaited<ReturnType<typeof openInstance>>
beforeAll(async () => {
  instance = await openInstance(':memory:', { memoryMb: 128, spillMb: 0, threads: 1 })
})
afterAll(() => instance.closeSync())

const readNames = async (types: string): Promise<string[]> => {
  const connection = await instance.connect()
  try {
    const reader = await connection.runAndReadAll(
      `SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE function_type IN (${types}) ORDER BY 1`,
    )
    return reader.getRows().map(([name]) => String(name))
  } finally {
    connection.closeSync()
  }
}

it('every function of DuckDB is either allowed or refused on purpose', async () => {
  const refused = Object.values(REFUSED_FUNCTIONS)
  const isRefused = (name: string) => refused.some((pattern) => pattern.test(name))
  const all = await readNames("'scalar', 'aggregate', 'macro'")
  expect(all.filter((name) => isAllowedFunction(name) === isRefused(name))).toEqual([])
})

it('every table function of DuckDB is either allowed or refused on purpose', async () => {
  const refused = Object.values(REFUSED_TABLE_FUNCTIONS)
  const isRefused = (name: string) => refused.some((pattern) => pattern.test(name))
  const all = await readNames("'table', 'table_macro'")
  // PRAGMA is a statement of its own, so names of pragmas cannot be called in a SELECT.
  expect(all.filter((name) => isAllowedTableFunction(name) === isRefused(name))).toEqual([])
})

it('every allowed name and every reason to refuse one is about a function of this DuckDB', async () => {
  const all = await readNames("'scalar', 'aggregate', 'macro', 'table', 'table_macro'")
  expect(listAllowedFunctions().filter((name) => !all.includes(name))).toEqual([])
  const patterns = [...Object.values(REFUSED_FUNCTIONS), ...Object.values(REFUSED_TABLE_FUNCTIONS)]
  for (const pattern of patterns) {
    for (const name of pattern.source
      .slice(2, -2)
      .split('|')
      .filter((part) => /^\w+$/.test(part)))
      expect(all, name).toContain(name)
  }
})
