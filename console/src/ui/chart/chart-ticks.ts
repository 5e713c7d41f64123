/**
 * Returns whether the time of a period is written below the axis: that of about four at equal distances, and none so close
 * to the last period that its text would touch the text there.
 */
export const hasTick = (at: number, count: number): boolean => {
  const distance = Math.ceil(count / 4)
  return at % distance === 0 && count - 1 - at >= distance * 0.75
}
