/** Paths of a line in a drawing that is one unit wide per period, and 100 units high. Pure. */

type Values = readonly (number | undefined)[]

const toText = (coordinate: number): string => String(Math.round(coordinate * 100) / 100)

const toPoint = (value: number, at: number, top: number): string =>
  `${toText(at + 0.5)} ${toText(100 - (value / top) * 100)}`

/** Returns the path through the values. It is interrupted where a value is missing, because nothing is known there. */
export const toLinePath = (values: Values, top: number): string =>
  values
    .map((value, at) =>
      value === undefined ? '' : `${values[at - 1] === undefined ? 'M' : 'L'}${toPoint(value, at, top)}`,
    )
    .join('')

/** With more periods, points would touch each other. */
const maxPoints = 31

/** Returns the path of the points: all of a short line, of a long one those that no line connects. */
export const toPointsPath = (values: Values, top: number): string =>
  values
    .map((value, at) => {
      const isAlone = values[at - 1] === undefined && values[at + 1] === undefined
      return value === undefined || (values.length > maxPoints && !isAlone) ? '' : `M${toPoint(value, at, top)}h0`
    })
    .join('')
