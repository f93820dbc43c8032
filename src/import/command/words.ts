const THOUSANDS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** `12,345` */
export const count = (value: number): string => THOUSANDS.format(value)

/** `1 event`, `12,345 events` */
export const counted = (value: number, noun: string, nouns: string = `${noun}s`): string =>
  `${count(value)} ${value === 1 ? noun : nouns}`

const MEGABYTE = 1_000_000

/** `900 B`, `12 kB`, `3.4 MB`, `1,234.5 MB` */
export const bytes = (value: number): string => {
  if (value < 1000) return `${value} B`
  if (value < MEGABYTE) return `${count(value / 1000)} kB`
  const [whole, tenth] = (value / MEGABYTE).toFixed(1).split('.')
  return `${count(Number(whole))}.${tenth} MB`
}

/** `40 s`, `3 min 20 s`, `2 h 5 min` */
export const duration = (seconds: number): string => {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${count(Math.floor(whole / 3600))} h ${Math.floor((whole % 3600) / 60)} min`
}
