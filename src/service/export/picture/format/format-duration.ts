const UNITS = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
]

/** The two largest units of a duration: `2 h 5 min`. */
export const formatDuration = (seconds: number): string => {
  let rest = Math.round(seconds)
  const parts: string[] = []
  for (const { name, seconds: size } of UNITS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${name}`)
    else if (parts.length > 0) break
  }
  return parts.slice(0, 2).join(' ') || '0 s'
}
