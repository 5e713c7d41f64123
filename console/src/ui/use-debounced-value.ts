import { useEffect, useState } from 'react'

/** What something has come to once it has rested so many milliseconds; compared as it is. */
export const useDebouncedValue = <Value>(value: Value, milliseconds: number): Value => {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), milliseconds)
    return () => clearTimeout(timer)
  }, [value, milliseconds])
  return rested
}
