/**
 * Waits for the metadata, which may not answer at all. After the time it rejects, with the code of a server that cannot be reached; the work
 * itself goes on.
 */
export const waitAtMost = async <Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () =>
        reject(Object.assign(new Error(`The metadata did not answer within ${timeoutMs} ms.`), { code: 'ETIMEDOUT' })),
      timeoutMs,
    )
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
