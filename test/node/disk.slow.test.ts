// As disk.test.ts, at each call, and with the other errors of a disk.
import { failingCalls } from './failing-calls.ts'

failingCalls('ENOSPC')
failingCalls('EROFS')
failingCalls('EIO')
