import { type ReactNode, useState } from 'react'
import { BlockingNotice } from '../ui/dialog.tsx'

const processed =
  'Your requested changes are being processed. Please do not leave the page or hit the back button until complete.'

/** Covers the page while something is done that must not be left. */
export const useBlockingNotice = (): {
  during: <Result>(work: () => Promise<Result>) => Promise<Result>
  notice: ReactNode
} => {
  const [isProcessed, setProcessed] = useState(false)
  return {
    async during(work) {
      setProcessed(true)
      try {
        return await work()
      } finally {
        setProcessed(false)
      }
    },
    notice: isProcessed && <BlockingNotice>{processed}</BlockingNotice>,
  }
}
