import { useEffect, useState } from 'react'

/** Returns the value after it has not changed for `milliseconds`. */
export const useDebouncedValue = <Value>(value: Value, milliseconds: number): Value => {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), milliseconds)
    return () => clearTimeout(timer)
  }, [value, milliseconds])
  return rested
}
