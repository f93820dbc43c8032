const THOUSANDS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** Formats a whole number: `12,345`. */
export const formatNumber = (value: number): string => THOUSANDS.format(value)

/** Formats a number with its noun: `1 event`, `12,345 events`. */
export const formatCount = (value: number, singular: string, plural: string = `${singular}s`): string =>
  `${formatNumber(value)} ${value === 1 ? singular : plural}`

const MEGABYTE = 1_000_000

/** Formats a number of bytes: `900 B`, `12 kB`, `3.4 MB`, `1,234.5 MB`. */
export const formatBytes = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < MEGABYTE) return `${formatNumber(bytes / 1000)} kB`
  const [whole, tenth] = (bytes / MEGABYTE).toFixed(1).split('.')
  return `${formatNumber(Number(whole))}.${tenth} MB`
}

/** Formats a duration: `9.5 s`, `40 s`, `3 min 20 s`, `2 h 5 min`. */
export const formatDuration = (seconds: number): string => {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const rounded = Math.round(seconds)
  if (rounded < 60) return `${rounded} s`
  if (rounded < 3600) return `${Math.floor(rounded / 60)} min ${rounded % 60} s`
  return `${formatNumber(Math.floor(rounded / 3600))} h ${Math.floor((rounded % 3600) / 60)} min`
}
