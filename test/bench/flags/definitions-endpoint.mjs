import { createServer } from 'node:http'

/**
 * Serves flag definitions on the loopback interface, under both paths that packages of the protocol request.
 *
 * @param {object} definitions The response body.
 * @returns {Promise<{ url: string, stop: () => Promise<unknown> }>}
 */
export const startDefinitionsEndpoint = async (definitions) => {
  const body = JSON.stringify(definitions)
  const server = createServer((request, response) => {
    const isDefinitionsPath = /^\/(flags\/definitions|api\/feature_flag\/local_evaluation)\/?\?/.test(request.url)
    response
      .writeHead(isDefinitionsPath ? 200 : 404, { 'content-type': 'application/json' })
      .end(isDefinitionsPath ? body : '{}')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}
