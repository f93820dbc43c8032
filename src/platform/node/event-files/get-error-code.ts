/** The system's error code (`ENOSPC`), or the message of an error without one. */
export const getErrorCode = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? String(error)
