const northAmerican = /^(1?)([2-9]\d{2})([2-9]\d{2})(\d{4})$/

/** A North American number as people read it: +1 (508) 308-4809 or (508) 308-4809; anything else unchanged. */
export const formatPhoneNumber = (number: string): string => {
  const parts = northAmerican.exec(number)
  if (parts === null) return number
  const [, country, area, exchange, line] = parts
  return `${country ? '+1 ' : ''}(${area}) ${exchange}-${line}`
}
