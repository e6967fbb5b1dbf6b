import Glibc

/// What the C library says of an error number.
func errnoText(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    let result = unsafe buffer.withUnsafeMutableBufferPointer { pointer -> String? in
        unsafe strerror_r(code, pointer.baseAddress!, pointer.count) == 0
            ? String(validatingCString: pointer.baseAddress!) : nil
    }
    return result ?? "error \(code)"
}
