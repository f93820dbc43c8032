/**
 * Whether DuckDB refuses everything until the file is opened again, because a checkpoint failed (on a full disk, for example). The commit
 * before it is on the disk.
 */
export const isInvalidated = (error: unknown): boolean =>
  error instanceof Error && (/has been invalidated|COMMIT succeeded/.test(error.message) || isInvalidated(error.cause))
