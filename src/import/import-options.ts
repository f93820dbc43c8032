/** What to import, and where to. */
export interface ImportOptions {
  /** The project API key. */
  readonly key: string
  /** Address of the service. */
  readonly host: string
}

/** What an import has done. */
export interface ImportSummary {
  /** Events that the service has acknowledged, earlier runs of the same import included. */
  readonly sent: number
  /** Lines that were refused, and stand in the file of rejects. */
  readonly rejected: number
}
