/** Name of what the tabs of a site share: the database, the lock and the channel of one project. @param host URL of the service. */
export const siteName = (host: string, apiKey: string): string => `waymark:${host}:${apiKey}`
