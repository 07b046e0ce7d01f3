import java.awt.image.BufferedImage;
import java.io.File;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.imageio.ImageIO;

/** What ImageIO shows of pictures: a line for each file, its size and SHA-256 of its samples, or "-" if it is refused. */
class Readers {
  public static void main(String[] paths) {
    ImageIO.setUseCache(false);
    for (String path : paths) System.out.println(look(path));
  }

  static String look(String path) {
    try {
      BufferedImage image = ImageIO.read(new File(path));
      if (image == null) return "-";
      int width = image.getWidth();
      // Drawn, as a program that shows it does: getRGB() takes grey samples for linear light.
      BufferedImage drawn = new BufferedImage(width, image.getHeight(), BufferedImage.TYPE_INT_ARGB);
      drawn.createGraphics().drawImage(image, 0, 0, null);
      int[] pixels = drawn.getRGB(0, 0, width, drawn.getHeight(), null, 0, width);
      ByteBuffer bytes = ByteBuffer.allocate(4 * pixels.length);
      bytes.asIntBuffer().put(pixels);
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes.array());
      return width + " " + image.getHeight() + " " + HexFormat.of().formatHex(hash, 0, 8);
    } catch (Exception refused) {
      return "-";
    }
  }
}
