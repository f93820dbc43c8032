import { Sqlite } from '../../support/load-sqlite.mjs'

// Commits continuously to a file in WAL mode and restarts its log often.
// Sends one message at its start, and one in reply to each message.
const db = new Sqlite(process.argv[2], { timeout: 5000 })
db.pragma('journal_mode = WAL')
db.pragma('wal_autocheckpoint = 300')
db.exec('CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, bytes BLOB)')
const insert = db.prepare('INSERT OR REPLACE INTO item VALUES (?, randomblob(4000))')
let nextId = 0
const write = db.transaction(() => {
  for (let row = 0; row < 20; row++) insert.run(nextId++ % 500)
})

const run = () => {
  write()
  setImmediate(run)
}
run()
process.send('begun')
process.on('message', () => process.send('more'))
process.on('disconnect', () => process.exit(0))
