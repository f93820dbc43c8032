/** The system's word for an error (`ENOSPC`), or what it says. */
export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? String(error)
