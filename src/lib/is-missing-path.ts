/** Whether a status means that the server does not have the requested path. */
export const isMissingPath = (status: number): boolean => [404, 405, 410].includes(status)
