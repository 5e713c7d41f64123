const two = (number: number): string => String(number).padStart(2, '0')

/** Epoch nanoseconds as DD/MM/YY HH:mm:ss.SSS in local time (console facts A.12). */
export const instantText = (nanoseconds: bigint): string => {
  const date = new Date(Number(nanoseconds / 1_000_000n))
  const day = [date.getDate(), date.getMonth() + 1, date.getFullYear() % 100].map(two).join('/')
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
  return `${day} ${time}.${String(date.getMilliseconds()).padStart(3, '0')}`
}
