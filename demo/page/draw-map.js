/**
 * Draws imaginary maps: a height field from a seed, shaded from the north-west, with contour lines and a trail or, in towns, streets.
 * The same seed gives the same map. The drawing functions are generators with a step per row, for `runWhenIdle`.
 */

/** Colours (red, green, blue) at heights from 0 to 1; between them, colours are interpolated. */
const COLOUR_RAMPS = {
  mountains: [
    [0, [196, 208, 168]],
    [0.35, [218, 213, 170]],
    [0.6, [219, 193, 148]],
    [0.8, [196, 164, 134]],
    [1, [246, 242, 236]],
  ],
  coasts: [
    [0, [126, 170, 184]],
    [0.3, [158, 196, 203]],
    [0.42, [196, 220, 217]],
    [0.43, [240, 226, 190]],
    [0.55, [214, 214, 168]],
    [1, [172, 190, 142]],
  ],
  towns: [
    [0, [166, 198, 208]],
    [0.2, [182, 209, 214]],
    [0.21, [233, 224, 204]],
    [1, [246, 236, 214]],
  ],
}

/** Number of steps of a colour ramp: so many that no step is visible. */
const SHADE_COUNT = 500

/** Draws a map of this kind on the whole canvas. */
export const drawMap = function* (canvas, kind, seed) {
  const { width, height } = canvas
  const context = canvas.getContext('2d')
  const heights = yield* computeHeights(width, height, seed, kind)
  const image = context.createImageData(width, height)
  const colours = createShades(COLOUR_RAMPS[kind])
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const index = y * width + x
      const here = heights[index]
      const east = heights[y * width + Math.min(width - 1, x + 1)]
      const south = heights[Math.min(height - 1, y + 1) * width + x]
      const isWater = kind !== 'mountains' && here < (kind === 'coasts' ? 0.43 : 0.21)
      const shade = isWater ? 1 : Math.max(0.72, Math.min(1.16, 1 + (here - east + here - south) * -14))
      const ink = isLine(here, east, south, isWater ? 12 : 22) ? (isWater ? 0.93 : 0.84) : 1
      const colour = 3 * Math.round(here * SHADE_COUNT)
      for (let channel = 0; channel < 3; channel++) {
        image.data[index * 4 + channel] = colours[colour + channel] * shade * ink
      }
      image.data[index * 4 + 3] = 255
    }
    yield
  }
  context.putImageData(image, 0, 0)
  if (kind === 'towns') drawStreets(context, width, height, seed, heights)
  else drawTrail(context, width, height, seed)
}

/** Draws only contour lines, in one colour, on the whole canvas. */
export const drawContours = function* (canvas, seed, colour) {
  const { width, height } = canvas
  const context = canvas.getContext('2d')
  const heights = yield* computeHeights(width, height, seed, 'mountains')
  context.fillStyle = colour
  for (let y = 0; y < height - 1; y++) {
    for (let x = 0; x < width - 1; x++) {
      const index = y * width + x
      if (isLine(heights[index], heights[index + 1], heights[index + width], 26)) context.fillRect(x, y, 1.6, 1.6)
    }
    yield
  }
}

const isLine = (here, east, south, levels) => {
  const level = Math.floor(here * levels)
  return level !== Math.floor(east * levels) || level !== Math.floor(south * levels)
}

/** Computes heights from 0 to 1: round hills of several sizes, distorted by waves so that no contour is a circle. */
const computeHeights = function* (width, height, seed, kind) {
  const random = createRandom(seed)
  const hills = Array.from({ length: Math.round((width / height) * (kind === 'mountains' ? 7 : 5)) }, () => ({
    x: (random() * width) / height,
    y: random(),
    size: 0.1 + random() * 0.26,
    weight: random() * 0.9 + 0.25,
  }))
  const phase = random() * 6
  const values = new Float32Array(width * height)
  let highest = 0
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const x = column / height + 0.05 * Math.sin(9 * (row / height) + phase) + 0.02 * Math.sin((23 * row) / height)
      const y = row / height + 0.05 * Math.cos((8 * column) / height + phase) + 0.02 * Math.cos((21 * column) / height)
      let sum = kind === 'coasts' ? 0.9 * (x - y * 0.4) : 0.12
      for (const hill of hills) {
        const distance = ((x - hill.x) ** 2 + (y - hill.y) ** 2) / hill.size ** 2
        if (distance < 6) sum += hill.weight * Math.exp(-distance)
      }
      if (kind === 'towns') sum *= 0.05 + Math.min(1, Math.abs(y - 0.5 - 0.22 * Math.sin(4 * x + phase)) * 9)
      values[row * width + column] = sum
      highest = Math.max(highest, sum)
    }
    yield
  }
  for (let index = 0; index < values.length; index++) values[index] = Math.max(0, values[index] / highest)
  return values
}

const drawTrail = (context, width, height, seed) => {
  const random = createRandom(seed + 1)
  const points = Array.from({ length: 7 }, (_, index) => ({
    x: (width * (index + 0.5)) / 7,
    y: height * (0.25 + random() * 0.5),
  }))
  context.strokeStyle = '#b3331a'
  context.lineWidth = width / 150
  context.setLineDash([width / 60, width / 90])
  context.beginPath()
  context.moveTo(points[0].x, points[0].y)
  // Each curve ends half-way to the next point, so that the line is smooth; the last one ends at its point.
  for (let index = 1; index < points.length - 1; index++) {
    const { x, y } = points[index]
    const next = points[index + 1]
    const share = index === points.length - 2 ? 1 : 0.5
    context.quadraticCurveTo(x, y, x + (next.x - x) * share, y + (next.y - y) * share)
  }
  context.stroke()
  context.setLineDash([])
  for (const { x, y } of [points[0], points.at(-1)]) {
    context.fillStyle = '#fffdf6'
    context.beginPath()
    context.arc(x, y, width / 60, 0, 7)
    context.fill()
    context.stroke()
  }
}

/** Draws a town with ring roads; blocks are drawn on land only. */
const drawStreets = (context, width, height, seed, heights) => {
  const random = createRandom(seed + 1)
  const centre = { x: width * (0.4 + random() * 0.2), y: height * (0.4 + random() * 0.2) }
  const colours = ['#c9a58a', '#d6b79a', '#bf9479', '#d9c4a3']
  const ring = width / 15
  for (let radius = ring * 0.7, rank = 0; radius < width; radius += ring, rank++) {
    const blocks = Math.max(5, Math.round((radius * 6.3) / (ring * (1.1 + 0.08 * rank))))
    const turn = random()
    for (let block = 0; block < blocks; block++) {
      const from = ((block + turn) / blocks) * 2 * Math.PI
      const to = from + ((2 * Math.PI) / blocks) * (1 - 0.05 - 1.6 / (radius / 3 + 8))
      const middle = (from + to) / 2
      const x = Math.round(centre.x + Math.cos(middle) * (radius + ring / 2))
      const y = Math.round(centre.y + Math.sin(middle) * (radius + ring / 2))
      if (x < 0 || y < 0 || x >= width || y >= height || heights[y * width + x] < 0.3) continue
      context.fillStyle = random() < 0.1 ? '#b3c79a' : colours[Math.floor(random() * colours.length)]
      context.beginPath()
      context.arc(centre.x, centre.y, radius + ring * 0.86, from, to)
      context.arc(centre.x, centre.y, radius + ring * 0.12, to, from, true)
      context.fill()
    }
  }
}

/** Returns the colours of a ramp, three channels each, for heights from 0 to 1 in `SHADE_COUNT` steps. */
const createShades = (ramp) =>
  Array.from({ length: SHADE_COUNT + 1 }, (_, shade) => {
    const value = shade / SHADE_COUNT
    const above = Math.max(
      1,
      ramp.findIndex(([limit]) => limit >= value),
    )
    const [low, from] = ramp[above - 1]
    const [high, to] = ramp[above]
    return from.map((channel, index) => channel + ((to[index] - channel) * (value - low)) / (high - low))
  }).flat()

/** Creates Park and Miller's random number generator, which is good enough for hills. */
const createRandom = (seed) => {
  let state = (seed * 7919 + 17) % 2147483647
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}
