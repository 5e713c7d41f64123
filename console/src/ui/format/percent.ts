/**
 * Formats a share from 0 to 1 with one decimal, such as `41.5 %`. Only a share of nothing is 0.0 %, and only that of
 * everything is 100.0 %.
 */
export const formatPercent = (share: number): string => {
  const percent = (share * 100).toFixed(1)
  if (share > 0 && percent === '0.0') return '< 0.1 %'
  if (share < 1 && percent === '100.0') return '> 99.9 %'
  return `${percent} %`
}
