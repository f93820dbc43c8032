/** Numbers by their places: a vector of DuckDB, or what was read of several. */
export interface NumberSource {
  readonly getItem: (index: number) => unknown
}
