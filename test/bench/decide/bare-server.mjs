import { createServer } from 'node:http'

/**
 * The least that a server of Node can do for such a request: reads the body and answers the bytes given on its standard input. A process of
 * its own, as the service is; says its address on the standard output.
 */
const answer = await new Promise((resolve) => {
  const chunks = []
  process.stdin.on('data', (chunk) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)))
})
const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    Buffer.concat(chunks)
    response
      .writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': answer.length })
      .end(answer)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
