/**
 * Returns the positions of the periods whose time is written below the axis: about four at equal distances, and none
 * so close to the last period that its text would touch the text there.
 */
export const getTicks = (count: number): ReadonlySet<number> => {
  const distance = Math.ceil(count / 4)
  const positions = Array.from({ length: 4 }, (_, index) => index * distance)
  return new Set(positions.filter((at) => count - 1 - at >= distance * 0.75))
}
