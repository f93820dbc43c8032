import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { createFaults } from './faults.mjs'
import { openEngine, withoutKeeper } from './engine.mjs'
import { createUsers } from './users.mjs'

/**
 * A ClickHouse server for tests: chDB behind the part of ClickHouse's HTTP interface that `@clickhouse/client` uses. It knows one
 * administrator, and those users that `CREATE USER` creates. They may read the tables that were granted to them, and nothing else.
 *
 *     node server.mjs <folder> <port, 0 for any> <password>
 *
 * Prints its port. `POST /fault` makes the next requests fail (`faults.mjs`), and `POST /password` changes that of the administrator.
 */
const [folder, port, password] = process.argv.slice(2)
const engine = openEngine(folder)
const faults = createFaults()
const users = createUsers('default', password, `${folder}-users.json`)

const readCredentials = ({ headers }, url) => {
  const [scheme, token = ''] = (headers.authorization ?? '').split(' ')
  if (scheme === 'Basic') {
    const [, user, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(token, 'base64').toString()) ?? []
    return { user, password: secret }
  }
  return {
    user: headers['x-clickhouse-user'] ?? url.searchParams.get('user') ?? 'default',
    password: headers['x-clickhouse-key'] ?? url.searchParams.get('password') ?? '',
  }
}

/** Parameters of the URL that are no settings. */
const RESERVED = new Set(['query', 'query_id', 'database', 'user', 'password', 'session_id', 'default_format'])

const readStatement = (url, body) => {
  const parameters = {}
  const settings = { output_format_json_quote_64bit_integers: '1' }
  for (const [name, value] of url.searchParams) {
    if (name.startsWith('param_')) parameters[name.slice('param_'.length)] = value
    // Of the transport, and not of the query.
    else if (
      !RESERVED.has(name) &&
      !/^(enable_http_compression|send_progress_in_http_headers|http_|wait_end_of_query|cancel_http)/.test(name)
    )
      settings[name] = value
  }
  const query = url.searchParams.get('query')
  return {
    sql: withoutKeeper(query ?? body.toString()),
    rows: query === null ? null : body,
    queryId: url.searchParams.get('query_id') ?? '',
    parameters,
    settings,
    database: url.searchParams.get('database') ?? 'default',
  }
}

const sendError = (response, status, code, message) =>
  response.writeHead(status, { 'x-clickhouse-exception-code': String(code) }).end(`${message}\n`)

const answer = async (request, response) => {
  const url = new URL(request.url, 'http://server')
  if (url.pathname === '/fault') {
    faults.set(JSON.parse(String(await buffer(request))))
    response.end()
    return
  }
  if (url.pathname === '/password') {
    users.changePassword(String(await buffer(request)))
    response.end()
    return
  }
  if (faults.isAway()) {
    request.socket.destroy()
    return
  }
  if (url.pathname === '/ping') {
    response.end('Ok.\n')
    return
  }
  const credentials = readCredentials(request, url)
  if (!users.isKnown(credentials)) {
    sendError(
      response,
      403,
      516,
      `Code: 516. DB::Exception: ${credentials.user}: Authentication failed. (AUTHENTICATION_FAILED)`,
    )
    return
  }
  const encoded = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request
  const statement = readStatement(url, await buffer(encoded))
  if (!users.isAdministrator(credentials)) statement.settings.readonly ??= '1'
  if (!users.isAdministrator(credentials)) {
    const forbidden = users.findForbidden(credentials.user, await engine.readSources(statement))
    if (forbidden !== undefined) {
      const message = `Code: 497. DB::Exception: ${credentials.user}: Not enough privileges. To execute this query, it's necessary to have the grant SELECT ON ${forbidden}. (ACCESS_DENIED)`
      sendError(response, 403, 497, message)
      return
    }
  }
  const {
    kind: fault,
    code = 252,
    message = 'Too many parts (3000). (TOO_MANY_PARTS)',
    text,
  } = await faults.apply(statement.sql)
  if (fault === 'refuse') {
    sendError(response, 500, code, `Code: ${code}. DB::Exception: ${message}`)
    return
  }
  if (fault === 'answer') {
    response.end(text)
    return
  }
  if (fault === 'drop_before') {
    request.socket.destroy()
    return
  }
  try {
    const result = users.run(statement.sql) ? Buffer.alloc(0) : await engine.run(statement)
    if (fault === 'drop_after') request.socket.destroy()
    else {
      response.setHeader('x-clickhouse-query-id', statement.queryId)
      response.setHeader('x-clickhouse-summary', '{}')
      response.setHeader('content-type', 'text/plain; charset=UTF-8')
      response.end(result)
    }
  } catch (error) {
    sendError(response, 500, error.clickhouseCode ?? 1001, error.message)
  }
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error)
    request.socket.destroy()
  })
})
server.listen(Number(port), '127.0.0.1', () => console.log(server.address().port))
process.on('SIGTERM', () => process.exit())
