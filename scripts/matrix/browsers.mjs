export const browsers = []
