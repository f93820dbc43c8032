/** Tasks that undo what a bench has started, if it ends early. */
const tasks = new Set()

process.on('exit', () => {
  for (const task of tasks) task()
})
// Without a listener a signal ends the process at once, and 'exit' is not emitted.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

/**
 * Runs a task when this process ends, also after an error or Ctrl-C.
 *
 * @param {() => void} task Synchronous.
 * @returns {() => void} Forgets the task.
 */
export const atExit = (task) => {
  tasks.add(task)
  return () => tasks.delete(task)
}
