/**
 * Makes the function that asks the service's query API.
 *
 * @param {{ host: string, projectId: string, personalApiKey: string }} service
 * @returns {(sql: string) => Promise<unknown[][]>} Rejects with what the service says is wrong.
 */
export const createQuery = ({ host, projectId, personalApiKey }) => {
  const url = `${host}/api/environments/${encodeURIComponent(projectId)}/query/`
  return async (sql) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${personalApiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: { kind: 'HogQLQuery', query: sql } }),
    })
    const answer = await response.json().catch(() => ({}))
    if (!response.ok) throw new Error(answer.detail ?? `the service answered ${response.status}`)
    return answer.results
  }
}
