import Testing

@testable import CampipeStore

@Suite("Whether a disk is mounted")
struct MountCheckTests {
    @Test("mount points are read as the kernel writes them, blanks and all")
    func mounts() {
        let text = """
            22 28 0:21 / /sys rw,nosuid shared:7 - sysfs sysfs rw
            36 28 8:17 / /mnt/usb\\040disk rw,noatime shared:1 - ext4 /dev/sdb1 rw
            cut off
            """
        #expect(MountCheck.mounts(in: Array(text.utf8)) == ["/sys", "/mnt/usb disk"])
    }

    @Test(
        "a folder on a mount below the root is on a disk of its own, whether or not it is there yet",
        arguments: [
            ("/mnt/usb", true), ("/mnt/usb/clips/%Y", true), ("/mnt/usb2", false), ("/mnt", false), ("/", false),
            ("nowhere/at/all", false),
        ])
    func isMounted(_ folder: String, _ expected: Bool) {
        #expect(MountCheck.isMounted(folder, mounts: ["/", "/proc", "/mnt/usb"]) == expected)
    }
}
