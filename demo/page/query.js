/**
 * Creates a function that sends SQL to the service's query API.
 *
 * @param {{ host: string, projectId: string, personalApiKey: string }} service
 * @returns {(sql: string) => Promise<unknown[][]>} Rejects with the detail of the service's error.
 */
export const createQuery = ({ host, projectId, personalApiKey }) => {
  const url = `${host}/api/environments/${encodeURIComponent(projectId)}/query/`
  return async (sql) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${personalApiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: { kind: 'HogQLQuery', query: sql } }),
    })
    const body = await response.json().catch(() => ({}))
    if (!response.ok) throw new Error(body.detail ?? `the response has status ${response.status}`)
    return body.results
  }
}
