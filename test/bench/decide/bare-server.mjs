import { createServer } from 'node:http'

/**
 * The minimum that a Node server can do for such a request: it reads the body and sends the bytes from its standard input. It is a
 * separate process, like the service, and prints its URL.
 */
const responseBody = await new Promise((resolve) => {
  const chunks = []
  process.stdin.on('data', (chunk) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)))
})
const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    Buffer.concat(chunks)
    response
      .writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': responseBody.length })
      .end(responseBody)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
