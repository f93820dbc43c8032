import { createRequire } from 'node:module'

// Commits to a file in WAL mode without rest, and restarts its log often; tells when it has begun, and whenever it is asked.
const Sqlite = createRequire(new URL('../../../../src/service/package.json', import.meta.url))('better-sqlite3')
const db = new Sqlite(process.argv[2], { timeout: 5000 })
db.pragma('journal_mode = WAL')
db.pragma('wal_autocheckpoint = 300')
db.exec('CREATE TABLE IF NOT EXISTS one (id INTEGER PRIMARY KEY, bytes BLOB)')
const insert = db.prepare('INSERT OR REPLACE INTO one VALUES (?, randomblob(4000))')
let next = 0
const write = db.transaction(() => {
  for (let row = 0; row < 20; row++) insert.run(next++ % 500)
})

const go = () => {
  write()
  setImmediate(go)
}
go()
process.send('begun')
process.on('message', () => process.send('more'))
process.on('disconnect', () => process.exit(0))
