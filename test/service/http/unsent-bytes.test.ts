import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { createUnsentBytes, STALL_MS } from '../../../src/service/http/unsent-bytes.ts'

const MB = 2 ** 20

const openBudget = (limitBytes = 10 * MB) => {
  let timeMs = 0
  const budget = createUnsentBytes({ limitBytes, now: () => timeMs })
  /** A connection whose client reads what the test says. */
  const connect = () => {
    const connection = Object.assign(new EventEmitter(), {
      bytesWritten: 0,
      writableLength: 0,
      destroyed: false,
      destroy: () => {
        connection.destroyed = true
        return connection as never
      },
      write: (bytes: number) => {
        connection.bytesWritten += bytes
        connection.writableLength += bytes
      },
      read: (bytes: number) => void (connection.writableLength -= bytes),
    })
    budget.watch(connection as never)
    return connection
  }
  const wait = (ms: number) => {
    timeMs += ms
    budget.check()
  }
  return { budget, connect, wait }
}

test('ends a connection that takes none of its bytes for half a minute', () => {
  const { connect, wait } = openBudget()
  const [stuck, slow, idle] = [connect(), connect(), connect()]
  for (const connection of [stuck, slow]) connection.write(1000)
  wait(STALL_MS - 1)
  expect(stuck.destroyed).toBe(false)
  slow.read(1)
  wait(1)
  expect([stuck.destroyed, slow.destroyed]).toEqual([true, false])
  wait(STALL_MS)
  expect([slow.destroyed, idle.destroyed]).toEqual([true, false])
})

test('counts from the first unsent byte, not from the start of the connection', () => {
  const { connect, wait } = openBudget()
  const connection = connect()
  wait(10 * STALL_MS)
  connection.write(1000)
  wait(STALL_MS - 1)
  expect(connection.destroyed).toBe(false)
})

test('counts bytes that connections share once, and each connection can let go of them once', () => {
  const { budget, connect } = openBudget()
  const bytes = Buffer.alloc(3 * MB)
  const releases = [connect(), connect(), connect()].map((connection) => budget.hold(connection, bytes)!)
  expect(budget.usedBytes()).toBe(3 * MB)
  releases[0]!()
  releases[0]!()
  releases[1]!()
  expect(budget.usedBytes()).toBe(3 * MB)
  releases[2]!()
  expect(budget.usedBytes()).toBe(0)
})

test('refuses bytes above the limit while all clients read, and takes them again later', () => {
  const { budget, connect, wait } = openBudget()
  const readers = Array.from({ length: 10 }, connect)
  const releases = readers.map((reader) => budget.hold(reader, Buffer.alloc(MB)))
  for (let second = 0; second < 5; second++) {
    for (const reader of readers) {
      reader.write(MB)
      reader.read(MB)
    }
    wait(1000)
  }
  expect(budget.hold(connect(), Buffer.alloc(MB))).toBeNull()
  expect(readers.some(({ destroyed }) => destroyed)).toBe(false)
  releases[0]!()
  expect(budget.hold(connect(), Buffer.alloc(MB))).toBeTypeOf('function')
})

test('ends the slowest clients, and as few as needed, when others need the memory', () => {
  const { budget, connect, wait } = openBudget()
  const readers = Array.from({ length: 5 }, connect)
  for (const [index, reader] of readers.entries()) {
    budget.hold(reader, Buffer.alloc(2 * MB))
    reader.write(2 * MB)
    reader.read(index * 1000)
  }
  wait(3000)
  for (const [index, reader] of readers.entries()) reader.read(index * 1000)
  expect(budget.hold(connect(), Buffer.alloc(3 * MB))).toBeTypeOf('function')
  expect(readers.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false, false])
  expect(budget.usedBytes()).toBe(9 * MB)
})

test('keeps a slow client whose bytes one that reads shares: its end frees nothing', () => {
  const { budget, connect, wait } = openBudget()
  const shared = Buffer.alloc(6 * MB)
  const [slow, reading] = [connect(), connect()]
  for (const reader of [slow, reading]) {
    budget.hold(reader, shared)
    reader.write(6 * MB)
  }
  wait(3000)
  reading.read(MB)
  expect(budget.hold(connect(), Buffer.alloc(5 * MB))).toBeNull()
  expect([slow.destroyed, reading.destroyed]).toEqual([false, false])
})

test('ends all clients that share bytes when all of them are slow', () => {
  const { budget, connect, wait } = openBudget()
  const shared = Buffer.alloc(6 * MB)
  const slow = [connect(), connect(), connect()]
  for (const reader of slow) budget.hold(reader, shared)
  wait(3000)
  expect(budget.hold(connect(), Buffer.alloc(5 * MB))).toBeTypeOf('function')
  expect(slow.map(({ destroyed }) => destroyed)).toEqual([true, true, true])
  expect(budget.usedBytes()).toBe(5 * MB)
})

test('gives one connection a quarter, but always one answer', () => {
  const { budget, connect } = openBudget()
  const connection = connect()
  expect(budget.hold(connection, Buffer.alloc(5 * MB))).toBeTypeOf('function')
  expect(budget.hold(connection, Buffer.alloc(MB))).toBeNull()
  expect(budget.hold(connect(), Buffer.alloc(MB))).toBeTypeOf('function')
})

test('takes one answer that is larger than the limit', () => {
  const { budget, connect } = openBudget(MB)
  expect(budget.hold(connect(), Buffer.alloc(5 * MB))).toBeTypeOf('function')
  expect(budget.hold(connect(), Buffer.alloc(MB))).toBeNull()
})

test('forgets a connection that closes, and holds nothing for it later', () => {
  const { budget, connect } = openBudget()
  const connection = connect()
  const release = budget.hold(connection, Buffer.alloc(MB))!
  connection.emit('close')
  expect(budget.usedBytes()).toBe(0)
  budget.hold(connection, Buffer.alloc(MB))
  release()
  expect(budget.usedBytes()).toBe(0)
})
